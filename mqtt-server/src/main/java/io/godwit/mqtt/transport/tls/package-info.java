/** TLS of listeners: files, their reload, and names from client certificates. */
@NullMarked
package io.godwit.mqtt.transport.tls;

import org.jspecify.annotations.NullMarked;
