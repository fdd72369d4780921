import type { CommandHandler } from "@devflow/core/command";
export const rejudge: CommandHandler<any> = async () => {};
