/** Numbers as messages say them. */
export const percent = (share: number): string => `${(share * 100).toFixed(share > 0.995 && share < 1 ? 1 : 0)} %`;
export const dollars = (usd: number): string => `$${usd.toFixed(2)}`;
