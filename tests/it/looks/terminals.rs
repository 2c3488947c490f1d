//! Terminals people have: their sixteen colours, letters and ground as they
//! are shipped.

use frontdesk::inbox::contrast::Rgb;

/// A terminal's colours.
pub(crate) struct KnownTerminal {
    pub(crate) name: &'static str,
    pub(crate) letters: Rgb,
    pub(crate) ground: Rgb,
    sixteen: &'static str,
}

const fn rgb(color: u32) -> Rgb {
    let [_, red, green, blue] = color.to_be_bytes();
    Rgb(red, green, blue)
}

const fn terminal(name: &'static str, letters: u32, ground: u32, sixteen: &'static str) -> KnownTerminal {
    KnownTerminal { name, letters: rgb(letters), ground: rgb(ground), sixteen }
}

const SOLARIZED: &str = "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 \
                         002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3";
const NORD: &str = "3b4252 bf616a a3be8c ebcb8b 81a1c1 b48ead 88c0d0 e5e9f0 \
                    4c566a bf616a a3be8c ebcb8b 81a1c1 b48ead 8fbcbb eceff4";
const MOCHA: &str = "45475a f38ba8 a6e3a1 f9e2af 89b4fa f5c2e7 94e2d5 bac2de \
                     585b70 f38ba8 a6e3a1 f9e2af 89b4fa f5c2e7 94e2d5 a6adc8";
const VGA: &str = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa \
                   555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff";
const BASIC: &str = "000000 990000 00a600 999900 0000b2 b200b2 00a6b2 bfbfbf \
                     666666 e50000 00d900 e5e500 0000ff e500e5 00e5e5 e5e5e5";
const TANGO: &str = "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf \
                     555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec";
const XTERM: &str = "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 \
                     7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff";

/// The terminals.
pub(crate) const TERMINALS: &[KnownTerminal] = &[
    terminal("Solarized dark", 0x839496, 0x002b36, SOLARIZED),
    terminal("Solarized light", 0x657b83, 0xfdf6e3, SOLARIZED),
    terminal("Nord", 0xd8dee9, 0x2e3440, NORD),
    terminal("Catppuccin Mocha", 0xcdd6f4, 0x1e1e2e, MOCHA),
    terminal("VGA", 0xaaaaaa, 0x000000, VGA),
    terminal("macOS Terminal (Basic)", 0x000000, 0xffffff, BASIC),
    terminal("Tango", 0xd3d7cf, 0x2e3436, TANGO),
    terminal("xterm white", 0x000000, 0xffffff, XTERM),
    terminal("xterm black", 0xe5e5e5, 0x000000, XTERM),
];

impl KnownTerminal {
    /// Those of the sixteen that a theme makes use of.
    pub(crate) fn numbered(&self) -> [Option<Rgb>; 7] {
        let mut sixteen = self
            .sixteen
            .split(' ')
            .map(|part| rgb(u32::from_str_radix(part, 16).expect("hexadecimal digits")));
        std::array::from_fn(|_| sixteen.next())
    }
}

#[test]
fn each_terminal_has_sixteen_colours() {
    for it in TERMINALS {
        assert_eq!(it.sixteen.split(' ').count(), 16, "{}", it.name);
    }
}
