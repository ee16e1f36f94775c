import CAVFormat
import RespoolPlugin

extension TrackDescription.Disposition {
  init(ffmpeg value: Int32) {
    self = []
    if value & AV_DISPOSITION_DEFAULT != 0 { insert(.default) }
    if value & AV_DISPOSITION_FORCED != 0 { insert(.forced) }
    // Timed thumbnails, such as images of chapters, are images about the media like a cover. FFmpeg marks them as
    // attached pictures too.
    if value & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS) != 0 {
      insert(.attachedPicture)
    }
    if value & AV_DISPOSITION_COMMENT != 0 { insert(.commentary) }
    if value & AV_DISPOSITION_HEARING_IMPAIRED != 0 { insert(.hearingImpaired) }
    if value & AV_DISPOSITION_VISUAL_IMPAIRED != 0 { insert(.visualImpaired) }
    if value & AV_DISPOSITION_ORIGINAL != 0 { insert(.original) }
    if value & AV_DISPOSITION_STILL_IMAGE != 0 { insert(.stillImage) }
  }
}
