import type { ReadingDescription, ShownType } from '../../lib/describe'
import { formats } from './export-query'

const text = { schema: { type: 'string' } }

/** Describes `GET /articles/export`. */
export const describeExport = ({ model }: ShownType): ReadingDescription => ({
  path: {
    summary: `All ${model.pluralName} of a list`,
    rejects: ['page', 'pageSize', 'withCount', 'after', 'before'].map((name) => `pagination[${name}]`),
    parameters: [
      {
        name: 'format',
        description: 'The format of the body; the default is `ndjson`',
        schema: { type: 'string', enum: formats },
      },
    ],
    content: () => ({
      'application/x-ndjson': text,
      'application/json': { schema: { type: 'array', items: { type: 'object' } } },
      'text/csv': text,
    }),
  },
})
