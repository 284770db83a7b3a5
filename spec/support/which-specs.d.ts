export const says: string
