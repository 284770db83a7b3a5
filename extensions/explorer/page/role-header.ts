/** In whose place the server of this page is to answer. */
export const roleHeader = 'X-Explorer-Role'
