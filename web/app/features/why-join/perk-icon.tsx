import {
  BookOpen,
  ChartColumn,
  Compass,
  Cpu,
  Globe,
  type LucideIcon,
  Signpost,
  TrendingUp,
  Users,
} from "lucide-react";
import type { PERKS } from "#content/perks.ts";

type Name = (typeof PERKS)[number]["icon"];

const ICONS: Record<Name, LucideIcon> = {
  stack: Cpu,
  growth: TrendingUp,
  culture: Users,
  learning: BookOpen,
  impact: Globe,
  career: Signpost,
  mentorship: Compass,
  data: ChartColumn,
};

export function PerkIcon({ name }: { name: Name }) {
  const Icon = ICONS[name];
  return <Icon size={20} aria-hidden />;
}
