/** Ends a `switch` over a closed set: a new member becomes a type error here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
