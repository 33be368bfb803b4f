//! The parser behind `URL`: the same well-tested one that Rust programs use. The prelude makes classes of it.

use ::url::{Url, quirks};
use rquickjs::{Ctx, Result, Value};

use crate::{errors, js};

/// Parts in the order in which the prelude reads them.
fn parts(url: &Url) -> [&str; 10] {
    [
        url.as_str(),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
    ]
}

fn answer<'js>(ctx: &Ctx<'js>, url: &Url) -> Result<Value<'js>> {
    let array = rquickjs::Array::new(ctx.clone())?.into_value();
    for (at, part) in parts(url).into_iter().enumerate() {
        js::define_index(&array, at as u32, &js::string(ctx, part)?)?;
    }
    js::define_index(&array, 10, &js::string(ctx, &quirks::origin(url))?)?;
    Ok(array)
}

/// Adds the native functions to what the prelude gets.
pub fn natives<'js>(ctx: &Ctx<'js>, natives: &Value<'js>) -> Result<()> {
    // (text, base or undefined) => parts, or undefined for what is no URL.
    let parse = js::native(ctx, "parse", 2, |ctx, _, args| {
        let text = match args.first() {
            Some(text) => js::text(text)?,
            None => "undefined".to_owned(),
        };
        let base = match args.get(1).filter(|base| !base.is_undefined()) {
            Some(base) => match Url::parse(&js::text(base)?) {
                Ok(base) => Some(base),
                Err(_) => return Ok(js::undefined(ctx)),
            },
            None => None,
        };
        match Url::options().base_url(base.as_ref()).parse(&text) {
            Ok(url) => answer(ctx, &url),
            Err(_) => Ok(js::undefined(ctx)),
        }
    })?;
    js::define(natives, "parseUrl", &parse, js::LOCKED)?;

    // (href, part, value) => parts: what assigning to a part makes of a URL.
    let change = js::native(ctx, "change", 3, |ctx, _, args| {
        let [href, part, value] = args else { return Err(errors::throw(ctx, "TypeError", "Invalid URL")) };
        let (href, part, value) = (js::text(href)?, js::text(part)?, js::text(value)?);
        let Ok(mut url) = Url::parse(&href) else { return Err(errors::throw(ctx, "TypeError", "Invalid URL")) };
        // A part that cannot be changed so stays as it was.
        let _ = match part.as_str() {
            "protocol" => quirks::set_protocol(&mut url, &value),
            "username" => quirks::set_username(&mut url, &value),
            "password" => quirks::set_password(&mut url, &value),
            "host" => quirks::set_host(&mut url, &value),
            "hostname" => quirks::set_hostname(&mut url, &value),
            "port" => quirks::set_port(&mut url, &value),
            "pathname" => {
                quirks::set_pathname(&mut url, &value);
                Ok(())
            }
            "search" => {
                quirks::set_search(&mut url, &value);
                Ok(())
            }
            "hash" => {
                quirks::set_hash(&mut url, &value);
                Ok(())
            }
            _ => Err(()),
        };
        answer(ctx, &url)
    })?;
    js::define(natives, "changeUrl", &change, js::LOCKED)
}
