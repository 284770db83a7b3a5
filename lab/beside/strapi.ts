// What is used of Strapi's own interfaces, which are not installed where this is compiled.
import type { Server } from 'node:http'

export interface StrapiAttribute {
  readonly type: string
  readonly relation?: string
  readonly target?: string
  readonly inversedBy?: string
  readonly mappedBy?: string
  readonly morphBy?: string
  readonly component?: string
  readonly components?: readonly string[]
  readonly repeatable?: boolean
  readonly multiple?: boolean
  readonly enum?: readonly string[]
  readonly private?: boolean
}

export interface StrapiType {
  readonly uid: string
  readonly kind?: 'collectionType' | 'singleType'
  readonly collectionName: string
  readonly info: { readonly singularName: string; readonly pluralName: string }
  readonly options?: { readonly draftAndPublish?: boolean }
  readonly pluginOptions?: { readonly i18n?: { readonly localized?: boolean } }
  readonly attributes: Readonly<Record<string, StrapiAttribute>>
}

export type Data = Readonly<Record<string, unknown>>

interface Asked {
  readonly documentId: string
  readonly locale?: string
}

interface Documents {
  create(given: {
    readonly data: Data
    readonly locale?: string
  }): Promise<{ readonly id: number; readonly documentId: string }>
  update(given: Asked & { readonly data: Data }): Promise<unknown>
  publish(given: Asked): Promise<unknown>
}

interface Table {
  create(given: { readonly data: Data }): Promise<{ readonly id: number }>
  findMany(given: { readonly where?: Data; readonly orderBy?: Data }): Promise<readonly Data[]>
  findOne(given: { readonly where: Data }): Promise<Data | null>
}

export interface Strapi {
  readonly contentTypes: Readonly<Record<string, StrapiType>>
  readonly components: Readonly<Record<string, StrapiType>>
  readonly db: { query(uid: string): Table }
  readonly server: { readonly httpServer: Server }
  documents(uid: string): Documents
  load(): Promise<unknown>
  listen(): Promise<unknown>
}

export const draftsOf = ({ options }: StrapiType): boolean => options?.draftAndPublish === true
export const localesOf = ({ pluginOptions }: StrapiType): boolean => pluginOptions?.i18n?.localized === true

/** Attributes that Strapi adds to every type. */
export const builtInAttributes = [
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
]
