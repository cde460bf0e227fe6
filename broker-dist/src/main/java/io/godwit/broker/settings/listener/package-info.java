/** The settings of the MQTT server and its listeners: {@code mqttServerConfig}. */
@NullMarked
package io.godwit.broker.settings.listener;

import org.jspecify.annotations.NullMarked;
