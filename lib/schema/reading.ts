/** Everything that is wrong is refused, or as Strapi does: what it starts with costs no more than the attribute. */
export type Reading = 'strict' | 'strapi'
