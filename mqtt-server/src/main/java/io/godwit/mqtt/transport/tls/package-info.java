/** TLS of listeners: files, their reload, and what a client's certificate says. */
@NullMarked
package io.godwit.mqtt.transport.tls;

import org.jspecify.annotations.NullMarked;
