//! Changes of a file that are none of its text: bytes that can't be shown, and permissions. They are proposed as wholes.

use std::io;

use super::What;
use crate::documents::{AbsPath, Kept, ReadError};
use crate::review::{Reason, WholeChange};
use crate::shell::Aside;
use crate::tools::ToolUseContext;

/// The file as the command left it.
pub(super) async fn made(context: &ToolUseContext, reason: Reason, path: &AbsPath, made: &Aside) -> What {
    let (made, folder) = (made.clone(), context.shell.keeping_folder());
    let copying = tokio::task::spawn_blocking(move || Kept::copy(made.open()?, &folder, Kept::LARGEST));
    kept(context, reason, path, copying.await.unwrap_or_else(|error| Err(io::Error::other(error)))).await
}

/// A text, in the place of bytes that are none.
pub(super) async fn written(context: &ToolUseContext, reason: Reason, path: &AbsPath, bytes: &[u8]) -> What {
    kept(context, reason, path, Kept::copy(bytes, &context.shell.keeping_folder(), Kept::LARGEST)).await
}

/// A deletion of what is no text.
pub(super) async fn deleted(context: &ToolUseContext, reason: Reason, path: &AbsPath) -> What {
    propose(context, reason, path, WholeChange::Deleted).await
}

/// Other permissions; `None`: those again that the file has on disk, or would be made with.
pub(super) async fn mode(
    context: &ToolUseContext,
    reason: Reason,
    path: &AbsPath,
    mode: Option<u32>,
) -> What {
    propose(context, reason, path, WholeChange::Mode(mode)).await
}

/// Whether the disk has bytes there that no draft can be made of.
pub(super) fn is_no_text(context: &ToolUseContext, path: &AbsPath) -> bool {
    let disk = context.documents.on_disk(path);
    !context.documents.is_open(path)
        && matches!(
            disk,
            Err(ReadError::Binary { .. } | ReadError::Encoding { .. } | ReadError::TooLarge { .. })
        )
}

async fn kept(context: &ToolUseContext, reason: Reason, path: &AbsPath, kept: io::Result<Kept>) -> What {
    match kept {
        Ok(kept) => propose(context, reason, path, WholeChange::Bytes(kept)).await,
        Err(error) => What::NotProposed(format!(
            "not proposed: what the command wrote there could not be kept ({error}); run it again if it is still wanted"
        )),
    }
}

async fn propose(context: &ToolUseContext, reason: Reason, path: &AbsPath, change: WholeChange) -> What {
    match context.desk.propose_whole(&context.session, path, reason, change).await {
        Ok(Some(whole)) => What::Whole(whole),
        Ok(None) => What::AsOnDisk,
        Err(error) => super::refused(error),
    }
}
