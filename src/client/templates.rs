//! Reading templates. Interface: Endpoints, Templates.

use crate::client::Listed;
use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::read_page;
use crate::wire::paths;
use crate::wire::templates::TemplateBody;

impl Client {
    /// `GET /templates`: the approved ones.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn templates(&self) -> Result<Listed<TemplateBody>, ReadError> {
        let answer = self.get(paths::TEMPLATES, &[]).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}
