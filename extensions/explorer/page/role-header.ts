export const roleHeader = 'X-Explorer-Role'
