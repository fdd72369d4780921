/** Without TLS there is no cookie, and a sign-in is the tab's own: another tab, and so a link from a terminal, knows nothing of it. */
export const isTabOnly = location.protocol === "http:";
