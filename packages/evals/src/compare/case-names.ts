/**
 * The names and inputs of all cases of a comparison, numbered. They are kept as bytes outside of the heap: hundreds of thousands
 * of strings would make every garbage collection slow and the heap several times as large.
 *
 * - `numberOf(name, inputSha)` the number of the case, a new one if it is unknown.
 * - `name(no)`, `inputSha(no)`, `size`.
 */
const shaBytes = 32;
const digits = "0123456789abcdef";
const kinds = { none: 0, hex: 1, other: 2 } as const;

export class CaseNames {
  size = 0;
  /** UTF-16, two bytes a unit: lone surrogates stay what they are. */
  #text: Buffer = Buffer.alloc(8192);
  #ends = new Uint32Array(256);
  #shas: Buffer = Buffer.alloc(256 * shaBytes);
  #kinds = new Uint8Array(256);
  /** Hashes of inputs that are not SHA-256 in hexadecimal: tools may write anything. */
  readonly #others = new Map<number, string>();
  /** Open addressing; case numbers from 1, 0 is free. */
  #slots = new Uint32Array(1024);

  numberOf(name: string, inputSha: string | null): number {
    for (let slot = this.#slotOf(name, inputSha); ; slot = (slot + 1) % this.#slots.length) {
      const found = this.#slots[slot]! - 1;
      if (found === -1) return this.#add(name, inputSha);
      if (this.#isCase(found, name, inputSha)) return found;
    }
  }

  name(no: number): string {
    return this.#text.toString("utf16le", this.#start(no), this.#ends[no]);
  }

  inputSha(no: number): string | null {
    if (this.#kinds[no] === kinds.none) return null;
    return this.#others.get(no) ?? this.#shas.toString("hex", no * shaBytes, (no + 1) * shaBytes);
  }

  #start(no: number): number {
    return no === 0 ? 0 : this.#ends[no - 1]!;
  }

  #slotOf(name: string, inputSha: string | null): number {
    // FNV-1a.
    let sum = 0x811c9dc5;
    for (let at = 0; at < name.length; at++) sum = Math.imul(sum ^ name.charCodeAt(at), 0x01000193);
    const text = inputSha ?? "";
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
    return (sum >>> 0) % this.#slots.length;
  }

  /** Compared in place: a string for each lookup would be garbage at once. */
  #isCase(no: number, name: string, inputSha: string | null): boolean {
    const start = this.#start(no);
    if (this.#ends[no]! - start !== name.length * 2) return false;
    for (let at = 0; at < name.length; at++) {
      const unit = this.#text[start + at * 2]! | (this.#text[start + at * 2 + 1]! << 8);
      if (unit !== name.charCodeAt(at)) return false;
    }
    if (inputSha === null || this.#kinds[no] !== kinds.hex) return this.inputSha(no) === inputSha;
    if (inputSha.length !== shaBytes * 2) return false;
    for (let at = 0; at < shaBytes; at++) {
      const byte = this.#shas[no * shaBytes + at]!;
      if (digits.charCodeAt(byte >> 4) !== inputSha.charCodeAt(at * 2)) return false;
      if (digits.charCodeAt(byte & 15) !== inputSha.charCodeAt(at * 2 + 1)) return false;
    }
    return true;
  }

  #add(name: string, inputSha: string | null): number {
    const no = this.size++;
    const start = this.#start(no);
    this.#text = longer(this.#text, start + name.length * 2);
    this.#shas = longer(this.#shas, (no + 1) * shaBytes);
    this.#ends = grown(this.#ends, no + 1);
    this.#kinds = grown(this.#kinds, no + 1);
    this.#text.write(name, start, "utf16le");
    this.#ends[no] = start + name.length * 2;
    if (inputSha !== null) {
      const isHex = /^[0-9a-f]{64}$/.test(inputSha);
      this.#kinds[no] = isHex ? kinds.hex : kinds.other;
      if (isHex) this.#shas.write(inputSha, no * shaBytes, "hex");
      else this.#others.set(no, inputSha);
    }
    if (this.size * 2 > this.#slots.length) this.#rehash();
    else this.#place(no, name, inputSha);
    return no;
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 4);
    for (let no = 0; no < this.size; no++) this.#place(no, this.name(no), this.inputSha(no));
  }

  #place(no: number, name: string, inputSha: string | null): void {
    let slot = this.#slotOf(name, inputSha);
    while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
    this.#slots[slot] = no + 1;
  }
}

function longer(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes;
  const larger = Buffer.alloc(Math.max(size, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}

function grown<T extends Uint8Array | Uint32Array>(values: T, size: number): T {
  if (size <= values.length) return values;
  const larger = new (values.constructor as new (size: number) => T)(Math.max(size, values.length * 2));
  larger.set(values);
  return larger;
}
