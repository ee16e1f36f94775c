import CVPX
import RespoolPlugin

extension ColorDescription {
  /// VP9's `color_space` (bitstream specification 7.2.2) for the matrix.
  var vp9ColorSpace: vpx_color_space_t {
    switch matrix {
    case 0: VPX_CS_SRGB
    case 1: VPX_CS_BT_709
    case 5: VPX_CS_BT_601
    case 6: VPX_CS_SMPTE_170
    case 7: VPX_CS_SMPTE_240
    case 9: VPX_CS_BT_2020
    default: VPX_CS_UNKNOWN
    }
  }

  /// Creates the description of a VP9 stream, which has a matrix and a range but no primaries and transfer.
  init(_ space: vpx_color_space_t, _ range: vpx_color_range_t) {
    let matrix: UInt8 =
      switch space {
      case VPX_CS_SRGB: 0
      case VPX_CS_BT_709: 1
      case VPX_CS_BT_601: 5
      case VPX_CS_SMPTE_170: 6
      case VPX_CS_SMPTE_240: 7
      case VPX_CS_BT_2020: 9
      default: 2
      }
    self.init(matrix: matrix, range: range == VPX_CR_FULL_RANGE ? .full : .limited)
  }
}
