/** An entry of which no types are known. */
export type PlainEntry = Readonly<Record<string, unknown>>

interface PlainAnswer<Data> {
  readonly data: Data
  readonly meta: { readonly pagination?: Readonly<Record<string, unknown>> }
}

type Wanted<Init> = readonly [query?: object, init?: Init]

/** Reads content of which no types are known. */
export interface PlainReader<Init> {
  find(type: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry[]>>
  findOne(type: string, documentId: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry>>
  by(
    type: string,
    attribute: string,
    value: string | number,
    ...wanted: Wanted<Init>
  ): Promise<PlainAnswer<PlainEntry>>
  single(type: string, ...wanted: Wanted<Init>): Promise<PlainAnswer<PlainEntry>>
}
