/** The databases that the bench knows how to fill; MySQL is held against Strapi's answers in the specs alone. */
export const measuredDatabases = ['sqlite', 'mariadb', 'postgres'] as const
export type MeasuredDatabase = (typeof measuredDatabases)[number]
