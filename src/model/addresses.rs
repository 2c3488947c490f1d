//! Classification of IP addresses, for restricting outgoing connections to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// First address of an IPv4 block and its prefix length.
type BlockV4 = (Ipv4Addr, u32);

/// First address of an IPv6 block and its prefix length.
type BlockV6 = (Ipv6Addr, u32);

pub const FORBIDDEN_V4: &[BlockV4] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // shared by carriers, and one cloud's metadata
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // one cloud's host, public only by its looks
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link local, most clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 3),      // multicast, reserved, broadcast
];

/// The only IPv6 block assigned to the public internet. An allow list excludes every present and
/// future way to embed an IPv4 address.
pub const PUBLIC_V6: BlockV6 = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Special-purpose parts of [`PUBLIC_V6`].
pub const FORBIDDEN_V6: &[BlockV6] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// True for an address on the public internet. IPv4-mapped IPv6 addresses are checked as IPv4.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !FORBIDDEN_V4.iter().any(|block| in_block_v4(address, *block)),
        IpAddr::V6(address) => {
            in_block_v6(address, PUBLIC_V6) && !FORBIDDEN_V6.iter().any(|block| in_block_v6(address, *block))
        }
    }
}

/// IPv4 blocks of private networks, which a configuration may allow.
const PRIVATE_V4: &[BlockV4] = &[
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
];

const PRIVATE_V6: BlockV6 = (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7);

/// True for an address in a private network or of this machine. Link-local addresses are excluded:
/// cloud metadata services answer there with credentials, and no configuration may allow them.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => PRIVATE_V4.iter().any(|block| in_block_v4(address, *block)),
        IpAddr::V6(address) => address.is_loopback() || in_block_v6(address, PRIVATE_V6),
    }
}

pub fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn in_block_v4(address: Ipv4Addr, (first, bits): BlockV4) -> bool {
    let shift = u32::BITS - bits;
    address.to_bits() >> shift == first.to_bits() >> shift
}

fn in_block_v6(address: Ipv6Addr, (first, bits): BlockV6) -> bool {
    let shift = u128::BITS - bits;
    address.to_bits() >> shift == first.to_bits() >> shift
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use crate::addresses::{FORBIDDEN_V4, FORBIDDEN_V6, is_loopback, is_public};

    fn address(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    /// The addresses next to each forbidden block are public, unless they are in the next block.
    #[test]
    fn blocks_end_where_they_should() {
        for (outside, inside) in [
            ("1.0.0.0", "0.255.255.255"),
            ("9.255.255.255", "10.0.0.0"),
            ("11.0.0.0", "10.255.255.255"),
            ("100.63.255.255", "100.64.0.0"),
            ("100.128.0.0", "100.127.255.255"),
            ("126.255.255.255", "127.0.0.0"),
            ("128.0.0.0", "127.255.255.255"),
            ("168.63.129.15", "168.63.129.16"),
            ("169.253.255.255", "169.254.0.0"),
            ("169.255.0.0", "169.254.255.255"),
            ("172.15.255.255", "172.16.0.0"),
            ("172.32.0.0", "172.31.255.255"),
            ("192.0.1.0", "192.0.0.255"),
            ("192.0.3.0", "192.0.2.255"),
            ("192.88.98.255", "192.88.99.0"),
            ("192.88.100.0", "192.88.99.255"),
            ("192.167.255.255", "192.168.0.0"),
            ("192.169.0.0", "192.168.255.255"),
            ("198.17.255.255", "198.18.0.0"),
            ("198.20.0.0", "198.19.255.255"),
            ("198.51.99.255", "198.51.100.0"),
            ("198.51.101.0", "198.51.100.255"),
            ("203.0.112.255", "203.0.113.0"),
            ("203.0.114.0", "203.0.113.255"),
            ("223.255.255.255", "224.0.0.0"),
            ("8.8.8.8", "255.255.255.255"),
            ("2001:200::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db7:ffff::", "2001:db8::"),
            ("2001:db9::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2003::", "2002:ffff:ffff::"),
            ("3ffe:ffff::", "3fff::"),
            ("3fff:1000::", "3fff:0fff:ffff::"),
            ("2000::", "1fff:ffff::"),
            ("3fff:ffff::", "4000::"),
        ] {
            assert!(is_public(address(outside)), "{outside} is public");
            assert!(!is_public(address(inside)), "{inside} is not");
        }
    }

    #[test]
    fn first_and_last_of_each_block_are_forbidden() {
        for (first, bits) in FORBIDDEN_V4 {
            let last = first.to_bits() | u32::MAX.checked_shr(*bits).unwrap_or(0);
            assert!(
                !is_public(IpAddr::from(*first)) && !is_public(IpAddr::V4(last.into())),
                "{first}/{bits}"
            );
            let mapped = first.to_ipv6_mapped();
            assert!(!is_public(IpAddr::from(mapped)), "{mapped}");
        }
        for (first, bits) in FORBIDDEN_V6 {
            let last = first.to_bits() | (u128::MAX >> bits);
            assert!(
                !is_public(IpAddr::from(*first)) && !is_public(IpAddr::V6(last.into())),
                "{first}/{bits}"
            );
        }
    }

    #[test]
    fn ways_to_hide_an_address_are_seen_through() {
        for hidden in [
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::7f00:1",
            "2002:7f00:1::",
            "2001:0:7f00:1::",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "5f00::1",
        ] {
            assert!(!is_public(address(hidden)), "{hidden}");
        }
        assert!(is_public(address("::ffff:93.184.216.34")), "mapped, but public");
        assert!(is_loopback(address("::ffff:127.0.0.1")) && is_loopback(address("::1")));
        assert!(!is_loopback(address("::127.0.0.1")) && !is_loopback(address("10.0.0.1")));
    }
}
