/** Korean sentences about settings that are refused, by the English ones. */
import type { Phrases } from '../../translate.ts'

export const REFUSALS: Phrases = {
  '--{key} {given}: {problem}': '{key} {given}: {problem}',
  'must be a whole number from {min} to {max}': '{min}부터 {max}까지의 정수여야 합니다',
  'must be a probability from 0 up to but not 1, such as 0.05 or 5%':
    '0 이상 1 미만의 확률이어야 합니다(예: 0.05, 5%)',
  'must be a duration with its unit us, ms or s, such as 20ms':
    '단위 us, ms, s가 붙은 시간이어야 합니다(예: 20ms)',
  'must be quiet or a duration such as 2s': 'quiet 또는 2s 같은 시간이어야 합니다',
  'must be a duration or a range, such as 20ms or 10ms..30ms':
    '시간이나 범위여야 합니다(예: 20ms, 10ms..30ms)',
  'must be 3ms, 1ms..5ms, exponential:1ms+3ms (least + mean) or lognormal:3ms,0.5 (median, sigma)':
    '3ms, 1ms..5ms, exponential:1ms+3ms(최소 + 평균), lognormal:3ms,0.5(중앙값, 시그마) 가운데 하나여야 합니다',
  '{name} must be one of {choices}': '{name}{name:은/는} 다음 가운데 하나여야 합니다: {choices}',
  '{name} must be a number from {min} to {max}':
    '{name}{name:은/는} {min}부터 {max}까지의 수여야 합니다',
  '{algorithm} has no option {name}; it has {names}':
    '{algorithm}에는 옵션 {name}{name:이/가} 없습니다. 있는 것: {names}',
  '{name} is given twice': '{name}{name:이/가} 두 번 주어졌습니다',
  'is given twice; it can be given once': '두 번 주어졌습니다. 한 번만 줄 수 있습니다',
  'names a member twice': '한 멤버를 두 번 지정합니다',
  'must name each of the {count} members once': '멤버 {count}개를 한 번씩 지정해야 합니다',
  '{algorithm} does not run on a ring': '{algorithm}{algorithm:은/는} 링에서 실행되지 않습니다',
  'in {algorithm} all members vote, and any may lead':
    '{algorithm}에서는 모든 멤버가 투표하고, 어느 멤버나 리더가 될 수 있습니다',
  '{name} is a voter': '{name}{name:은/는} 투표자입니다',
  'would be a majority, of which none may lead': '아무도 리더가 될 수 없는 과반수가 됩니다',
  '{name} is not named in --down': '{name}{name:은/는} --down에 지정되지 않았습니다',
  '{name} is down from the beginning': '{name}{name:은/는} 처음부터 중단되어 있습니다',
  'is about detectors that hear messages, and perfect hears none':
    '메시지를 듣는 검출기에 관한 것인데, perfect는 아무것도 듣지 않습니다',
  'there is no member {name}; members are 1 to {count}':
    '멤버 {name}{name:은/는} 없습니다. 멤버는 1부터 {count}까지입니다',
  'there is no such setting; there are {list}': '그런 설정은 없습니다. 있는 것: {list}',
  'there is no such {kind} (did you mean {name}?); there are {list}':
    '{kind}에 그런 것은 없습니다. 혹시 {name}? 있는 것: {list}',
  'there is no such {kind}; there are {list}': '{kind}에 그런 것은 없습니다. 있는 것: {list}',
  'the checker takes 1 to 7': '검사기는 1부터 7까지 받습니다',
  '{algorithm} does not support resigning': '{algorithm}{algorithm:은/는} 사임을 지원하지 않습니다',
  'the members of a group of {algorithm} cannot change':
    '{algorithm} 그룹의 멤버는 바뀔 수 없습니다',
  '{algorithm} has no leases': '{algorithm}에는 임차가 없습니다',
  'must be A|B@TIME for both directions or A>B@TIME for one, such as {example}':
    '양방향은 A|B@TIME, 한 방향은 A>B@TIME 꼴이어야 합니다(예: {example})',
  'must be @TIME, such as @2s, or for some links A|B@TIME or A>B@TIME':
    '@2s 같은 @TIME 꼴이거나, 일부 링크라면 A|B@TIME 또는 A>B@TIME 꼴이어야 합니다',
  'must be {form}, such as {example}: {meaning}': '{form} 꼴이어야 합니다(예: {example})',
  'must be {form}, such as {example}': '{form} 꼴이어야 합니다(예: {example})',
  'the period ({period} ms) must exceed the time in which the detector {detector} answers ({answer} ms): a request repeated sooner would supersede the one before it for ever. Give a longer period, or a network with a smaller bound.':
    '주기({period} ms)는 검출기 {detector}의 응답 시간({answer} ms)보다 길어야 합니다. 더 일찍 되풀이한 질의는 앞의 질의를 계속 밀어냅니다. 더 긴 주기를 주거나, 한계가 더 작은 네트워크를 쓰세요.',
  'a source falls': '원천이 작아집니다',
  'a start does not advance a stable source': '시작이 안정 원천을 진행시키지 않습니다',
  'an id is made and no source advances': '식별자가 만들어졌는데 어떤 원천도 진행하지 않습니다',
  'an id does not depend on {name}': '식별자가 {name}에 의존하지 않습니다',
  'must be {choices}': '다음이어야 합니다: {choices}',
  '{first} or {rest}': '{first} 또는 {rest}',
  'a leader cannot be its own successor': '리더는 자신의 후임이 될 수 없습니다',
  'a member gets proof about its peers only': '멤버는 상대에 관한 증거만 얻습니다',
  'step {step} of the walk is not possible': '경로의 {step}단계는 불가능합니다',
  'a leader cannot resign: {problem}': '리더는 사임할 수 없습니다. {problem}',
}
