/**
 * What an answer is made of and how it is sent: JSON, problem documents, bodies that are written at the reader's pace.
 */
@NullMarked
package io.godwit.api.http;

import org.jspecify.annotations.NullMarked;
