/**
 * The steps of a start, in the order of the broker, and what they share.
 *
 * <pre>
 * StartContext       what each step of a start uses
 *   Reporting          meters, events, traces and the status file
 *   OpenedParts        the parts to close, in the reverse order
 *   ServedPorts        what the API and plugins can use, as soon as it exists
 *   Serving            whether clients are served, and how they are sent away
 * StartWaits         what a start waits for, and how it is cancelled
 * StartedPlugins     the plugins, which open first
 * OperatorParts      what operators see and change
 * MqttStores         the dist, the retain and the inbox store
 *   MqttCluster        what connects them to those of other nodes
 * MqttFrontEnd       the MQTT server
 *   TenantParts        the tenants
 * SubBrokerParts     what brings messages to SubBrokers
 * BrokerApi          the HTTP API
 * </pre>
 */
@NullMarked
package io.godwit.broker.start;

import org.jspecify.annotations.NullMarked;
