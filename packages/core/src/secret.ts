/** A value that never prints: not in a log, a template string, JSON, an inspection or an error. */
const redacted = "[redacted]";
const values = new WeakMap<Secret, string>();

export class Secret {
  constructor(value: string) {
    values.set(this, value);
  }
  /** The only way to read the value; search for it to see who reads secrets. */
  reveal(): string {
    return values.get(this) ?? "";
  }
  toString(): string {
    return redacted;
  }
  toJSON(): string {
    return redacted;
  }
  [Symbol.toPrimitive](): string {
    return redacted;
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return redacted;
  }
}
