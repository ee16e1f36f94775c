//! A decoder for G.711 mu-law in Rust, with the parts of respool/plugin.h that it needs written by hand:
//!   rustc --edition 2021 --crate-type cdylib -O rust.rs -o librespool-rust.so
//! It states ABI 1.0, so that its structs are those of that version. A panic ends in an error of the call.
use std::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{addr_of_mut, null};
use std::sync::atomic::{AtomicU32, Ordering};

type Status = i32;
const OK: Status = 0;
const AGAIN: Status = 1;
const END: Status = 2;
const MALFORMED: Status = -2;
const UNSUPPORTED: Status = -3;
const INTERNAL: Status = -8;

#[repr(C)] pub struct Error { size: u32, status: Status, offset: i64, track: i32, facts: u32, message: [u8; 512], path: [u8; 128] }
#[repr(C)] #[derive(Clone, Copy)]
pub struct Buffer {
    data: *mut u8, size: usize, owner: *mut c_void,
    retain: Option<extern "C" fn(*mut c_void)>, release: Option<extern "C" fn(*mut c_void)>,
}
#[repr(C)] pub struct Track { // up to the last field that is read
    size: u32, kind: u32, id: i64, codec: *const c_char, tag: u32, disposition: u32, extradata: *const u8, extradata_size: usize,
    time_base: [i32; 2], start: i64, duration: i64, packet_count: i64, bit_rate: i64, lists: [*const c_void; 3], counts: [u32; 2],
    width: u32, height: u32, ratios: [i32; 6], pixel_format: u32, field_order: u32, color: [u8; 8], matrix: [i32; 9],
    reorder_depth: u32, profile: i32, level: i32, sample_rate: u32, channels: u32, channel_mask: u64,
}
#[repr(C)] pub struct Settings { size: u32, threads: u32, track: *const Track }
#[repr(C)] pub struct Packet {
    size: u32, track: u32, pts: i64, dts: i64, duration: i64, flags: u32, side_data_size: u32, trim: [i64; 2], buffer: Buffer,
}
#[repr(C)] pub struct Frame {
    size: u32, kind: u32, pts: i64, duration: i64, flags: u32, format: u32, width: u32, height: u32, aspect: [i32; 2], color: [u8; 8],
    sample_rate: u32, channels: u32, channel_mask: u64, sample_count: u32, plane_count: u32, plane: [*mut u8; 8], stride: [isize; 8],
    buffer: Buffer,
}
#[repr(C)] struct Head {
    size: u32, kind: u32, tier: u32, flags: u32, name: *const c_char, long_name: *const c_char, lists: [*const c_void; 3],
    codecs: *const *const c_char, magics: *const c_void, counts: [u32; 2], options: *const c_void, formats: [*const c_void; 4],
    channels: [u32; 2], context: *mut c_void, extension: *const c_void,
}
#[repr(C)] struct Factory {
    head: Head, supports: *const c_void,
    open: extern "C" fn(*const c_void, *const Settings, *mut *mut Decoder, *mut Error) -> Status,
    send: extern "C" fn(*mut Decoder, *const Packet, *mut Error) -> Status,
    receive: extern "C" fn(*mut Decoder, *mut Frame, *mut Error) -> Status,
    flush: extern "C" fn(*mut Decoder), close: extern "C" fn(*mut Decoder),
}
#[repr(C)] struct Info {
    size: u32, count: u32, name: *const c_char, version: *const c_char, license: *const c_char, factories: *const *const Factory,
}
#[repr(C)] pub struct Plugin { size: u32, major: u32, minor: u32, least: u32, describe: extern "C" fn(*const c_void) -> *const c_void }
/// Tables that never change may be shared by threads.
#[repr(transparent)] pub struct Shared<T>(T);
unsafe impl<T> Sync for Shared<T> {}

pub struct Decoder { rate: u32, channels: u32, mask: u64, waiting: Option<(Vec<i16>, i64, i64)>, drained: bool }
struct Block { references: AtomicU32, samples: Vec<i16> }

extern "C" fn retain(owner: *mut c_void) { unsafe { &*(owner as *const Block) }.references.fetch_add(1, Ordering::Relaxed); }
extern "C" fn release(owner: *mut c_void) {
    if unsafe { &*(owner as *const Block) }.references.fetch_sub(1, Ordering::AcqRel) == 1 { drop(unsafe { Box::from_raw(owner as *mut Block) }); }
}

/// Calls `body`, and writes its error or its panic to `error`.
fn guard(error: *mut Error, body: impl FnOnce() -> Result<Status, (Status, String)>) -> Status {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err((INTERNAL, "the plugin panicked".into())));
    result.unwrap_or_else(|(status, message)| unsafe {
        let count = message.len().min(511);
        let error = &mut *error;
        error.status = status;
        error.message[..count].copy_from_slice(&message.as_bytes()[..count]);
        error.message[count] = 0;
        status
    })
}

fn decode(code: u8) -> i16 {
    let value = (((!code & 15) as i32) << 3) + 132 << (!code >> 4 & 7);
    (if code & 128 != 0 { value - 132 } else { 132 - value }) as i16
}

extern "C" fn open(_: *const c_void, settings: *const Settings, out: *mut *mut Decoder, error: *mut Error) -> Status {
    guard(error, || unsafe {
        let track = &*(*settings).track;
        let codec = CStr::from_ptr(track.codec).to_string_lossy();
        if codec != "pcm_mulaw" || !(1..=64).contains(&track.channels) || track.sample_rate == 0 {
            return Err((UNSUPPORTED, format!("{codec} of {} channels; pcm_mulaw of 1 to 64 is decoded", track.channels)));
        }
        let decoder = Decoder { rate: track.sample_rate, channels: track.channels, mask: track.channel_mask, waiting: None, drained: false };
        *out = Box::into_raw(Box::new(decoder));
        Ok(OK)
    })
}
extern "C" fn send(decoder: *mut Decoder, packet: *const Packet, error: *mut Error) -> Status {
    guard(error, || unsafe {
        let decoder = &mut *decoder;
        if decoder.waiting.is_some() { return Ok(AGAIN); }
        let Some(packet) = packet.as_ref() else { decoder.drained = true; return Ok(OK); };
        let size = packet.buffer.size;
        if packet.buffer.data.is_null() || size == 0 || size % decoder.channels as usize != 0 {
            return Err((MALFORMED, format!("a packet of {size} bytes does not have whole audio samples")));
        }
        let bytes = std::slice::from_raw_parts(packet.buffer.data, size);
        decoder.waiting = Some((bytes.iter().map(|code| decode(*code)).collect(), packet.pts, packet.duration));
        Ok(OK)
    })
}
extern "C" fn receive(decoder: *mut Decoder, frame: *mut Frame, error: *mut Error) -> Status {
    guard(error, || unsafe {
        let (decoder, frame) = (&mut *decoder, &mut *frame);
        let Some((samples, pts, duration)) = decoder.waiting.take() else { return Ok(if decoder.drained { END } else { AGAIN }); };
        let block = Box::into_raw(Box::new(Block { references: AtomicU32::new(1), samples }));
        let samples = &mut *addr_of_mut!((*block).samples);
        let (data, size) = (samples.as_mut_ptr() as *mut u8, samples.len() * 2);
        (frame.kind, frame.pts, frame.duration, frame.format) = (2, pts, duration, 2); // audio, s16
        (frame.sample_rate, frame.channels, frame.channel_mask) = (decoder.rate, decoder.channels, decoder.mask);
        (frame.sample_count, frame.plane_count) = ((samples.len() / decoder.channels as usize) as u32, 1);
        (frame.plane[0], frame.stride[0]) = (data, size as isize);
        frame.buffer = Buffer { data, size, owner: block as *mut c_void, retain: Some(retain), release: Some(release) };
        Ok(OK)
    })
}
extern "C" fn flush(decoder: *mut Decoder) { let decoder = unsafe { &mut *decoder }; decoder.waiting = None; decoder.drained = false; }
extern "C" fn close(decoder: *mut Decoder) { drop(unsafe { Box::from_raw(decoder) }); }

static CODECS: Shared<[*const c_char; 2]> = Shared([c"pcm_mulaw".as_ptr(), null()]);
static FACTORY: Shared<Factory> = Shared(Factory {
    head: Head {
        size: size_of::<Factory>() as u32, kind: 2, tier: 1, flags: 0, name: c"rust".as_ptr(), long_name: c"G.711 mu-law in Rust".as_ptr(),
        lists: [null(); 3], codecs: &CODECS.0 as *const _, magics: null(), counts: [0; 2], options: null(), formats: [null(); 4],
        channels: [0; 2], context: std::ptr::null_mut(), extension: null(),
    },
    supports: null(), open, send, receive, flush, close,
});
static FACTORIES: Shared<[*const Factory; 1]> = Shared([&FACTORY.0]);
static INFO: Shared<Info> = Shared(Info {
    size: size_of::<Info>() as u32, count: 1, name: c"rust".as_ptr(), version: c"1.0.0".as_ptr(), license: c"MIT".as_ptr(),
    factories: &FACTORIES.0 as *const _,
});
extern "C" fn describe(_: *const c_void) -> *const c_void { &INFO.0 as *const Info as *const c_void }

#[no_mangle] #[allow(non_upper_case_globals)]
pub static respool_plugin: Shared<Plugin> = Shared(Plugin { size: size_of::<Plugin>() as u32, major: 1, minor: 0, least: 0, describe });
