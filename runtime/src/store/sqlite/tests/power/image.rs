//! What is left of a disk's files when the power goes, or a process ends, at some instant.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::disk::{Change, Deletion, Event, Image, SECTOR, set_length, write_at};

/// What does not survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Only the process ends: whatever was written is there.
    Process,
    /// Nothing that was not durable is there.
    Everything,
    /// Of what was not durable, some sectors reached the disk, in no order; which ones follows from the number.
    Some(u64),
}

/// A file on its way to the disk.
#[derive(Default)]
struct File<'e> {
    /// What is on the disk; `None` where the name is not.
    durable: Option<Vec<u8>>,
    /// What is not yet.
    pending: Vec<&'e Change>,
    /// What a process sees.
    seen: Option<Vec<u8>>,
}

/// The files of a disk as things happen to it.
pub(super) struct Files<'e>(BTreeMap<Arc<str>, File<'e>>);

impl<'e> Files<'e> {
    /// At first, all of them durable.
    pub(super) fn new(start: &Image) -> Self {
        let file = |content: &Vec<u8>| {
            let content = Some(content.clone());
            File { durable: content.clone(), pending: Vec::new(), seen: content }
        };
        Self(start.iter().map(|(name, content)| (Arc::clone(name), file(content))).collect())
    }

    /// Something happens to one of them.
    pub(super) fn happens(&mut self, event: &'e Event) {
        let file = self.0.entry(Arc::clone(&event.file)).or_default();
        apply(&mut file.seen, &event.change);
        match &event.change {
            Change::Synced => {
                let is_new = file.pending.contains(&&Change::Created);
                file.pending.drain(..).for_each(|change| apply(&mut file.durable, change));
                // SQLite makes the folder durable with the first sync of a new journal or log, and at no other time.
                if is_new && event.file.contains('-') {
                    self.0.values_mut().for_each(File::sync_name);
                }
            }
            Change::SyncFailed => file.pending.clear(),
            Change::Deleted(Deletion::Durable) => {
                file.durable = None;
                file.pending.clear();
            }
            change => file.pending.push(change),
        }
    }

    /// What is left of them now.
    pub(super) fn left(&self, loss: Loss) -> Image {
        let mut random = if let Loss::Some(seed) = loss { Random(seed) } else { Random(0) };
        let mut left = |file: &File<'_>| match loss {
            Loss::Process => file.seen.clone(),
            Loss::Everything => file.durable.clone(),
            Loss::Some(_) => torn(file, &mut random),
        };
        self.0.iter().filter_map(|(name, file)| Some((Arc::clone(name), left(file)?))).collect()
    }
}

impl File<'_> {
    /// Makes it durable that the file is there, or is not. What is in it is another matter.
    fn sync_name(&mut self) {
        if let Some(deleted) = self.pending.iter().rposition(|change| matches!(change, Change::Deleted(_))) {
            self.pending.drain(..=deleted);
            self.durable = None;
        }
        if self.pending.contains(&&Change::Created) {
            self.pending.retain(|change| **change != Change::Created);
            self.durable.get_or_insert_default();
        }
    }
}

fn apply(content: &mut Option<Vec<u8>>, change: &Change) {
    match change {
        Change::Created => *content = Some(Vec::new()),
        Change::Written { at, bytes } => write_at(content.get_or_insert_default(), bytes, *at),
        Change::Cut { length } => set_length(content.get_or_insert_default(), *length, 0),
        Change::Deleted(_) => *content = None,
        Change::Synced | Change::SyncFailed => {}
    }
}

/// Each sector of each write, each cut and each change of a name survives or does not. What a file grew by without
/// its bytes holds whatever was on the disk there.
fn torn(file: &File<'_>, random: &mut Random) -> Option<Vec<u8>> {
    let mut content = file.durable.clone();
    let odds = 1 + random.below(7);
    let rubbish = u8::try_from(random.below(2) * 0xa5).unwrap_or_default();
    for change in &file.pending {
        let Change::Written { at, bytes } = change else {
            if random.below(8) < odds {
                apply(&mut content, change);
            }
            continue;
        };
        let Some(content) = &mut content else { continue };
        let end = at + bytes.len();
        let mut from = *at;
        while from < end {
            let to = ((from / SECTOR + 1) * SECTOR).min(end);
            if random.below(8) < odds {
                if content.len() < from {
                    set_length(content, from, rubbish);
                }
                write_at(content, &bytes[from - at..to - at], from);
            }
            from = to;
        }
        if content.len() < end && random.below(8) < odds {
            set_length(content, end, rubbish);
        }
    }
    content
}

/// Numbers that look random and are the same each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// One of so many numbers, from 0.
    pub(super) fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }
}
