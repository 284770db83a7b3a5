/** A file, or one of its formats, whose address an answer shows. */
export interface ShownFile {
  readonly id: number
  /** As it is stored. */
  readonly url: string
  /** `thumbnail`, `small`…; null for the file itself. */
  readonly format: string | null
}

/** The address to show in its place. */
export type FileUrlFunction = (file: ShownFile) => string | Promise<string>
