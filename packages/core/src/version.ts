/** The version of this program. `scripts/check.ts` keeps it equal to package.json. */
export const version = "0.1.0";
