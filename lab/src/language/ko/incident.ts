/** Korean texts about incidents of a live group. */
import type { incident as english } from '../en/incident.ts'

export const incident: Readonly<Record<keyof typeof english, string>> = {
  'incident.simulated':
    '기록이 아니라 시뮬레이션입니다. 실시간 그룹과 같은 장애를 같은 간격으로 일으키고, 그 그룹의 알고리즘, 장애 검출기, 시간 설정을 그대로 씁니다.',
  'incident.live': '리더 부재 시간(실제)',
  'incident.run': '리더 부재 시간(시뮬레이션)',
  'incident.none': '해당 구간 없음',
  'incident.paused': '마지막 리더 {name}{name:이/가} 일시 정지되어 있습니다.',
}
