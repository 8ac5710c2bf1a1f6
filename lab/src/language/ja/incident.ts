/** Japanese texts about incidents of a live group. */
import type { incident as english } from '../en/incident.ts'

export const incident: Readonly<Record<keyof typeof english, string>> = {
  'incident.simulated':
    '記録ではなくシミュレーションです。実際のグループと同じ障害を同じ間隔で起こし、そのグループのアルゴリズム、障害検出器、時間設定を使います。',
  'incident.live': 'リーダー不在の時間（実際）',
  'incident.run': 'リーダー不在の時間（シミュレーション）',
  'incident.none': '該当する期間なし',
  'incident.paused': '最後のリーダー {name} は一時停止しています。',
}
