/** A document that was changed. */
export interface ChangedDocument {
  readonly type: string
  readonly documentId: string
}

/** What a commit changed in the content, or several that came close together. */
export interface ContentChange {
  /** The types of which entries, links or components changed, in the words of `permissions`; `'*'`: any may have. */
  readonly types: readonly string[] | '*'
  /** The documents among them that are told of; `'*'`: any may have changed. */
  readonly documents: readonly ChangedDocument[] | '*'
  /** Each answer that may be another by now carries one of these, where `cacheTags` is on. */
  readonly tags: readonly string[]
}

/** Called after the commit, once everybody who asks is shown it. If it throws or rejects, it is called again with what is missing. */
export type ChangeHook = (change: ContentChange) => unknown

/** How changes are told over HTTP. */
export interface ChangesOptions {
  /**
   * How many may listen at once. The next is a 503.
   * @default 1_000
   */
  readonly maxListeners?: number
  /**
   * Milliseconds between two signs of life where nothing changes, and after which it is looked up anew what a listener may read.
   * @default 15_000
   */
  readonly heartbeat?: number
}
