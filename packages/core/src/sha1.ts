/**
 * SHA-1 of small inputs, for names and not for security: UUIDv5, and the names that git gives to contents. Written here because loading
 * `node:crypto` takes 5 to 10 ms, which is most of what a hook of an agent takes.
 *
 * - `sha1(bytes)` 20 bytes.
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const words = new Int32Array(80);
  let [h0, h1, h2, h3, h4] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0];
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(block + 4 * at);
    for (let at = 16; at < 80; at++) {
      const mixed = (words[at - 3] ?? 0) ^ (words[at - 8] ?? 0) ^ (words[at - 14] ?? 0) ^ (words[at - 16] ?? 0);
      words[at] = (mixed << 1) | (mixed >>> 31);
    }
    let [a, b, c, d, e] = [h0, h1, h2, h3, h4];
    for (let at = 0; at < 80; at++) {
      const mixed =
        at < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : at < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : at < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      const next = (((a << 5) | (a >>> 27)) + mixed + e + (words[at] ?? 0)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    h0 = (h0 + a) | 0;
    h1 = (h1 + b) | 0;
    h2 = (h2 + c) | 0;
    h3 = (h3 + d) | 0;
    h4 = (h4 + e) | 0;
  }
  const result = new DataView(new ArrayBuffer(20));
  for (const [at, word] of [h0, h1, h2, h3, h4].entries()) result.setInt32(4 * at, word);
  return new Uint8Array(result.buffer);
}
