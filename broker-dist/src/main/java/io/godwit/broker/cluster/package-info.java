/**
 * What connects the stores and the MQTT server of this node to those of other nodes ({@link MqttCluster}), and what the
 * node does about members that join, are lost or stay silent.
 */
@NullMarked
package io.godwit.broker.cluster;

import org.jspecify.annotations.NullMarked;
