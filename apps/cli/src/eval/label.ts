import type { CommandHandler } from "@devflow/core/command";
export const label: CommandHandler<any> = async () => {};
