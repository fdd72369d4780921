/** How this Devflow was installed, which decides who may replace or remove it. */
export const installations = ["executable", "npm", "source"] as const;
export type Installation = (typeof installations)[number];

export function installedHow(executable: string, isCompiled: boolean): Installation {
  if (!isCompiled) return "source";
  return /[\\/]node_modules[\\/]/.test(executable) ? "npm" : "executable";
}
