/**
 * A video from JPEG images: AVI with Motion JPEG, which every player reads and which needs no library.
 *
 * - `writeAvi(frames)` at ten frames a second; a frame is repeated until the next one was taken.
 */
export interface Frame {
  readonly image: Buffer;
  readonly atMs: number;
}

const framesPerSecond = 10;

export function writeAvi(frames: readonly Frame[]): { bytes: Buffer; seconds: number } {
  const shown = atSteadyRate(frames);
  const { width, height } = jpegSize(frames[0]?.image ?? Buffer.alloc(0));
  const largest = Math.max(...shown.map((image) => image.length));
  const movie: Buffer[] = [];
  const index: Buffer[] = [];
  let offset = 4;
  for (const image of shown) {
    const padded = chunk("00dc", image);
    movie.push(padded);
    index.push(Buffer.concat([Buffer.from("00dc"), words(0x10, offset, image.length)]));
    offset += padded.length;
  }
  const bytes = list("RIFF", "AVI ", [
    list("LIST", "hdrl", [
      chunk(
        "avih",
        words(
          1e6 / framesPerSecond,
          largest * framesPerSecond,
          0,
          0x10,
          shown.length,
          0,
          1,
          largest,
          width,
          height,
          0,
          0,
          0,
          0,
        ),
      ),
      list("LIST", "strl", [
        chunk(
          "strh",
          Buffer.concat([
            Buffer.from("vidsMJPG"),
            words(0, 0, 0, 1, framesPerSecond, 0, shown.length, largest, 0xffffffff, 0, 0),
            shorts(width, height),
          ]),
        ),
        chunk(
          "strf",
          Buffer.concat([
            words(40, width, height),
            shorts(1, 24),
            Buffer.from("MJPG"),
            words(width * height * 3, 0, 0, 0, 0),
          ]),
        ),
      ]),
    ]),
    list("LIST", "movi", movie),
    chunk("idx1", Buffer.concat(index)),
  ]);
  return { bytes, seconds: shown.length / framesPerSecond };
}

/** Chromium sends a frame only when something changed. */
function atSteadyRate(frames: readonly Frame[]): Buffer[] {
  const start = frames[0]?.atMs ?? 0;
  const end = frames.at(-1)?.atMs ?? 0;
  const shown: Buffer[] = [];
  let current = 0;
  for (let moment = start; moment <= end || shown.length === 0; moment += 1000 / framesPerSecond) {
    while ((frames[current + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= moment) current++;
    const image = frames[current]?.image;
    if (image) shown.push(image);
    else break;
  }
  return shown;
}

/** From the frame header, whose marker is FFC0 to FFC2. */
function jpegSize(image: Buffer): { width: number; height: number } {
  for (let at = 2; at + 9 < image.length; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image[at + 1] ?? 0;
    if (marker >= 0xc0 && marker <= 0xc2)
      return { height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
  }
  return { width: 0, height: 0 };
}

function chunk(name: string, content: Buffer): Buffer {
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name), words(content.length), content, padding]);
}

function list(kind: string, name: string, parts: readonly Buffer[]): Buffer {
  return chunk(kind, Buffer.concat([Buffer.from(name), ...parts]));
}

function words(...numbers: number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * 4);
  for (const [place, number] of numbers.entries()) buffer.writeUInt32LE(number >>> 0, place * 4);
  return buffer;
}

function shorts(...numbers: number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * 2);
  for (const [place, number] of numbers.entries()) buffer.writeUInt16LE(number, place * 2);
  return buffer;
}
