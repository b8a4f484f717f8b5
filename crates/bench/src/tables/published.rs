//! Published figures: the tables of pages under `docs/`, measured again and written there.
//!
//! Each figure of a table is that of one command. What was measured is kept in a file beside the pages, run by run,
//! with commit, machine and day, and the tables are written from that alone: a page that was edited apart from a run
//! is no page that it would be written as, which a test demands. A figure that the file has not is held by nobody.

mod clock;
mod kept;
mod measuring;
mod page;
mod section;
mod sections;
mod threads;

pub use kept::Kept;
pub use page::rewritten;
pub use section::{Figure, Line, Section};
pub use threads::PLOT;

use crate::bench::Run as Request;
use std::path::Path;
use volery_cli::failure::{Failure, Result};

/// The option by which one party runs alone.
const REPLAY: &str = " --replay";

/// All tables of all pages.
pub fn all() -> Vec<Section> {
    [sections::sections(), threads::sections()].into_iter().flatten().collect()
}

/// The texts of the files of `folder` that are written from what was measured, by their names.
///
/// # Errors
/// Where a page cannot be read, or a table of it is not as in the list.
pub fn files(folder: &Path, kept: &Kept) -> Result<Vec<(String, String)>> {
    let sections = all();
    let mut files = Vec::<(String, String)>::new();
    for section in &sections {
        if files.iter().any(|(page, _)| page == section.page) {
            continue;
        }
        let path = folder.join(section.page);
        let text = std::fs::read_to_string(&path)
            .map_err(|why| Failure::usage(format_args!("--write: {}: {why}", path.display())))?;
        files.push((section.page.into(), rewritten(section.page, &text, &sections, kept)?));
    }
    let plot = threads::plot(kept)?;
    for (page, text) in &mut files {
        if *page == threads::PAGE {
            *text = page::with_plot(page, text, plot.is_some().then_some(PLOT))?;
        }
    }
    files.extend(plot.map(|svg| (format!("plots/{PLOT}"), svg)));
    Ok(files)
}

/// Measures what threads do, and writes it into pages where that is asked for.
pub(crate) fn threads(request: &Request) -> Result<()> {
    measuring::measure(request, threads::sections())
}

/// Measures the tables of all pages, and writes them there.
pub(super) fn write(request: &Request) -> Result<()> {
    measuring::measure(request, all())
}
