/** The package's, as bodies of different versions may differ. */
export const version = '0.1.0'
