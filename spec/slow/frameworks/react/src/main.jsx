import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { ArticleList } from './article-list'

createRoot(document.getElementById('root')).render(
  <QueryClientProvider client={new QueryClient()}>
    <ArticleList />
  </QueryClientProvider>,
)
