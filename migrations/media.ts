import type { TableLayout } from '../lib/tables/table-dialect'
import { entryTable, linkTable } from './layout'

const folders = entryTable('upload_folders', { name: 'string', path_id: 'integer', path: 'string' })
const files = entryTable('files', {
  name: 'string',
  alternative_text: 'text',
  caption: 'text',
  focal_point: 'json',
  width: 'integer',
  height: 'integer',
  formats: 'json',
  hash: 'string',
  ext: 'string',
  mime: 'string',
  size: 'decimal',
  url: 'text',
  preview_url: 'text',
  provider: 'string',
  provider_metadata: 'json',
  folder_path: 'string',
})

const related: TableLayout = {
  table: 'files_related_mph',
  columns: [
    { column: 'id', type: 'increments' },
    { column: 'file_id', type: 'key' },
    { column: 'related_id', type: 'key' },
    { column: 'related_type', type: 'string' },
    { column: 'field', type: 'string' },
    { column: 'order', type: 'order' },
  ],
  indexes: [
    { name: 'files_related_mph_fk', columns: ['file_id'], unique: false },
    { name: 'files_related_mph_oidx', columns: ['order'], unique: false },
    { name: 'files_related_mph_idix', columns: ['related_id'], unique: false },
  ],
  foreignKeys: [{ name: 'files_related_mph_fk', column: 'file_id', table: 'files', onDelete: 'CASCADE' }],
}

const sortedBy = ['folder_path', 'created_at', 'updated_at', 'name', 'size', 'ext']

export const media: readonly TableLayout[] = [
  {
    ...folders,
    indexes: [
      { name: 'upload_folders_path_id_index', columns: ['path_id'], unique: true },
      { name: 'upload_folders_path_index', columns: ['path'], unique: true },
      ...folders.indexes,
    ],
  },
  {
    ...files,
    indexes: [
      ...sortedBy.map((column) => ({
        name: `upload_files_${column}_index`,
        columns: [column],
        unique: false,
      })),
      ...files.indexes,
    ],
  },
  linkTable('upload_folders_parent_lnk', {
    from: ['folder_id', 'upload_folders'],
    to: ['inv_folder_id', 'upload_folders'],
    order: 'folder_ord',
  }),
  linkTable('files_folder_lnk', {
    from: ['file_id', 'files'],
    to: ['folder_id', 'upload_folders'],
    order: 'file_ord',
  }),
  related,
]
