@NullMarked
package io.godwit.mqtt.quota;

import org.jspecify.annotations.NullMarked;
