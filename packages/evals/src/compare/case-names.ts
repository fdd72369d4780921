/**
 * The names and inputs of all cases of a comparison, numbered. They are kept as bytes outside of the heap: hundreds of thousands
 * of strings would make every garbage collection slow and the heap several times as large.
 *
 * - `numberOf(name, inputSha)` the number of the case, a new one if it is unknown.
 * - `name(no)`, `inputSha(no)`, `size`.
 */
const shaBytes = 32;
const kinds = { none: 0, hex: 1, other: 2 } as const;

export class CaseNames {
  size = 0;
  #units = new Uint16Array(4096);
  #ends = new Uint32Array(256);
  #shas = new Uint8Array(256 * shaBytes);
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
    const [from, to] = [this.#start(no), this.#ends[no]!];
    let text = "";
    for (let at = from; at < to; at += 4096) {
      text += String.fromCharCode(...this.#units.subarray(at, Math.min(to, at + 4096)));
    }
    return text;
  }

  inputSha(no: number): string | null {
    if (this.#kinds[no] === kinds.none) return null;
    return this.#others.get(no) ?? Buffer.from(this.#shaOf(no)).toString("hex");
  }

  #start(no: number): number {
    return no === 0 ? 0 : this.#ends[no - 1]!;
  }

  #shaOf(no: number): Uint8Array {
    return this.#shas.subarray(no * shaBytes, (no + 1) * shaBytes);
  }

  #slotOf(name: string, inputSha: string | null): number {
    // FNV-1a.
    let sum = 0x811c9dc5;
    for (let at = 0; at < name.length; at++) sum = Math.imul(sum ^ name.charCodeAt(at), 0x01000193);
    const text = inputSha ?? "";
    for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
    return (sum >>> 0) % this.#slots.length;
  }

  #isCase(no: number, name: string, inputSha: string | null): boolean {
    const start = this.#start(no);
    if (this.#ends[no]! - start !== name.length) return false;
    for (let at = 0; at < name.length; at++) if (this.#units[start + at] !== name.charCodeAt(at)) return false;
    return this.inputSha(no) === inputSha;
  }

  #add(name: string, inputSha: string | null): number {
    const no = this.size++;
    const start = this.#start(no);
    this.#units = grown(this.#units, start + name.length);
    this.#ends = grown(this.#ends, no + 1);
    this.#kinds = grown(this.#kinds, no + 1);
    this.#shas = grown(this.#shas, (no + 1) * shaBytes);
    for (let at = 0; at < name.length; at++) this.#units[start + at] = name.charCodeAt(at);
    this.#ends[no] = start + name.length;
    if (inputSha !== null) {
      const isHex = /^[0-9a-f]{64}$/.test(inputSha);
      this.#kinds[no] = isHex ? kinds.hex : kinds.other;
      if (isHex) this.#shas.set(Buffer.from(inputSha, "hex"), no * shaBytes);
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

function grown<T extends Uint8Array | Uint16Array | Uint32Array>(values: T, size: number): T {
  if (size <= values.length) return values;
  const larger = new (values.constructor as new (size: number) => T)(Math.max(size, values.length * 2));
  larger.set(values);
  return larger;
}
