#!/bin/bash
# Makes the clips of this folder again: synthetic frames, tones, and speech by espeak-ng.  Needs
# ffmpeg and espeak-ng.  The clips are committed, so that tests need neither.
set -eu
cd "$(dirname "$0")"
ff() { ffmpeg -nostdin -v error -y -fflags +bitexact -flags:v +bitexact -flags:a +bitexact "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Speech, 22,050 Hz mono, with tags.
espeak-ng -v en -s 160 -w "$work/speech.wav" "Respool winds media from one reel onto another."
ff -i "$work/speech.wav" -t 2.5 -metadata title="Speech" -metadata artist="espeak-ng" speech.wav
ff -i "$work/speech.wav" -t 2.5 -c:a libopus -b:a 32k speech-opus.opus
ff -i "$work/speech.wav" -t 2.5 -ar 44100 -c:a libmp3lame -b:a 64k speech-mp3.mp3
ff -i "$work/speech.wav" -t 2.5 -c:a flac speech-flac.flac

# A tone of its own in each of six channels.
ff -f lavfi -i "aevalsrc='0.2*sin(2*PI*300*t)|0.2*sin(2*PI*400*t)|0.2*sin(2*PI*500*t)|0.2*sin(2*PI*60*t)|0.2*sin(2*PI*700*t)|0.2*sin(2*PI*800*t)':s=48000:c=5.1:d=0.2" \
  -c:a pcm_s24le tones-5.1.wav

# Moving pictures with sound: B-frames and encoder delay in edit lists, moov at the end.
picture="testsrc2=s=320x180:r=25:d=2"
tone="sine=f=440:r=48000:d=2"
ff -f lavfi -i "$picture" -f lavfi -i "$tone" -c:v libx264 -crf 30 -preset medium -pix_fmt yuv420p \
  -c:a aac -b:a 64k -metadata title="Pattern" pattern-h264.mp4
ff -f lavfi -i "$picture" -f lavfi -i "$tone" -c:v libvpx-vp9 -crf 45 -b:v 0 -cpu-used 5 \
  -c:a libopus -b:a 32k pattern-vp9.webm
ff -f lavfi -i "$picture" -f lavfi -i "$tone" -c:v libx264 -crf 30 -pix_fmt yuv420p -c:a flac pattern-flac.mkv
# 10 bit, 4:2:2, odd pixel shape.
ff -f lavfi -i "testsrc2=s=176x144:r=30000/1001:d=1" -c:v libx264 -crf 30 -pix_fmt yuv422p10le \
  -vf setsar=16/11 deep.mkv

# A phone's portrait clip: the picture lies on its side and a matrix turns it.
ff -f lavfi -i "$picture" -f lavfi -i "$tone" -c:v libx264 -crf 30 -pix_fmt yuv420p -c:a aac -b:a 48k \
  "$work/flat.mov"
ff -display_rotation:v:0 90 -i "$work/flat.mov" -c copy portrait.mov 2>/dev/null ||
  ff -i "$work/flat.mov" -c copy -metadata:s:v:0 rotate=90 portrait.mov

# A white picture and a beep at the same moments, 0.5 s and 1.5 s: shows whether sound keeps to picture.
ff -f lavfi -i "color=black:s=160x90:r=25:d=2,format=yuv420p,geq=lum='if(between(mod(T,1),0.5,0.58),235,16)':cb=128:cr=128" \
  -f lavfi -i "aevalsrc='if(between(mod(t,1),0.5,0.54),0.8*sin(2*PI*1000*t),0)':s=48000:d=2" \
  -c:v libx264 -crf 30 -c:a aac -b:a 96k clap-and-flash.mp4

# Variable frame rate.
ff -f lavfi -i "testsrc2=s=160x90:r=50:d=2" -vf "select='if(lt(t,1),not(mod(n,2)),not(mod(n,5)))'" \
  -fps_mode passthrough -c:v libx264 -crf 32 -pix_fmt yuv420p -video_track_timescale 50000 variable.mp4

ff -f lavfi -i "testsrc2=s=96x64:r=10:d=1" animation.gif
ff -f lavfi -i "testsrc2=s=96x64:r=1:d=1" -frames:v 1 still.png
printf 'Not media: a text that lies among the clips.\n' > notes.txt
