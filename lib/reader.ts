// Output: types of reads without HTTP. The client has these types as well, so that this file imports nothing.

/** Contains the options of a read without HTTP. */
export interface InsideOptions {
  /** Cancels the read and its statements. */
  readonly signal?: AbortSignal
}

/** An entry of unknown type. */
export type PlainEntry = Readonly<Record<string, unknown>>

interface PlainAnswer<Data> {
  readonly data: Data
  readonly meta: { readonly pagination?: Readonly<Record<string, unknown>> }
}

type Wanted<Init> = readonly [query?: object, init?: Init]

/** Reads entries of unknown types. `Init` is the type of the options of a call. */
export interface PlainReader<Init = InsideOptions> {
  find(type: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry[]>>
  findOne(type: string, documentId: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry>>
  by(
    type: string,
    attribute: string,
    value: string | number,
    ...wanted: Wanted<Init>
  ): Promise<PlainAnswer<PlainEntry>>
  single(type: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry>>
  /** Reads the path of an extension below a list: `read('articles', 'aggregate', query)`. */
  read(type: string, name: string, ...wanted: Wanted<Init>): Promise<Readonly<Record<string, unknown>>>
}
