import DefaultTheme from 'vitepress/theme';
import type { App } from 'vue';
import CostCalculator from '../../calculator/CostCalculator.vue';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: App }) {
    app.component('CostCalculator', CostCalculator);
  },
};
