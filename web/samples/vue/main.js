import { connect } from 'steploop/client';
import { createApp } from 'vue';
import App from './App.vue';

const { httpUrl, socketUrl, token, agent } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
createApp(App, { client: connect({ httpUrl, socketUrl, token }), agent }).mount('#app');
