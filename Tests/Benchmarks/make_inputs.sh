#!/bin/bash
# Makes the inputs of the benchmarks in DIR. Uses the real clips in BIG if that folder exists, otherwise
# synthetic clips.
#   make_inputs.sh DIR BIG [small]
set -eu
out=$1 big=$2 small=${3:-}
mkdir -p "$out/clips300" "$out/clips720" "$out/clips1080"
ff() { ffmpeg -nostdin -v error -y "$@"; }

# Cuts short clips from the 1080p video and makes a long one, so that copying takes measurable time.
from_film() {
  for i in 0 1 2 3; do
    [ -f "$out/clips1080/$i.mp4" ] || ff -ss $((i * $1)) -i "$out/1080p.mp4" -t "$1" -c copy "$out/clips1080/$i.mp4"
  done
  [ -f "$out/long.mp4" ] || ff -stream_loop "$2" -i "$out/1080p.mp4" -map 0 -c copy "$out/long.mp4"
}

if [ -x "$big/make_big.sh" ] && [ -z "$small" ]; then
  "$big/make_big.sh" "$out"
  [ -f "$out/1080p.mp4" ] || cp "$big/1080p_12s_h264_aac_8mbps.mp4" "$out/1080p.mp4"
  [ -f "$out/long.mp4" ] || ln -s big_1gb.mp4 "$out/long.mp4"
  from_film 3 0
  echo "real clips" > "$out/kind"
  exit
fi
if [ -n "$small" ]; then seconds=30 clips=12 films=2 length=2; else seconds=1200 clips=300 films=8 length=8; fi

# Sliding tones and noise in stereo, which give the encoder realistic work.
sound="aevalsrc='0.3*sin(2*PI*(200+100*sin(t/3))*t)+0.02*random(0)|0.3*sin(2*PI*(300+50*sin(t/5))*t)+0.02*random(1)':s=48000"
picture() { echo "testsrc2=s=$1:r=30,noise=alls=12:allf=t"; }
[ -f "$out/20min.wav" ] || ff -f lavfi -i "$sound:d=$seconds" "$out/20min.wav"
last=$(printf %03d $((clips - 1)))
[ -f "$out/clips300/$last.wav" ] ||
  ff -stream_loop -1 -i "$out/20min.wav" -t $((clips * 3)) -f segment -segment_time 3 -c copy "$out/clips300/%03d.wav"
for i in $(seq 0 $((films - 1))); do
  [ -f "$out/clips720/$i.mp4" ] ||
    ff -f lavfi -i "$(picture 1280x720)" -f lavfi -i "$sound" -t $length -c:v libx264 -preset veryfast -crf 23 \
      -pix_fmt yuv420p -c:a aac -b:a 160k "$out/clips720/$i.mp4"
done
[ -f "$out/1080p.mp4" ] ||
  ff -f lavfi -i "$(picture 1920x1080)" -f lavfi -i "$sound" -t $((length + 4)) -c:v libx264 -preset veryfast \
    -crf 23 -pix_fmt yuv420p -c:a aac -b:a 160k "$out/1080p.mp4"
if [ -n "$small" ]; then from_film 1 4; else from_film 3 74; fi
echo "synthetic clips" > "$out/kind"
