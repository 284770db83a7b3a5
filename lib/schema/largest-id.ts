/** Of a row; PostgreSQL fails where one of more bits is asked for. */
export const largestId = 2 ** 31 - 1
