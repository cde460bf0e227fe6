@org.jspecify.annotations.NullMarked
package io.godwit.broker.api;
