// All function names of the language (pipeline document, section 9.3). A script that calls one of them which is not in
// the table of functions is told so, instead of being told that there is no such function.

export const languageFunctions: ReadonlySet<string> = new Set(
  `add_key add_pattern adjust_timezone agg_create agg_metric append b64dec b64enc cache_get cache_set cast cidr
  conv_traceid_w3c_to_dd cover create_point datetime decode default_time default_time_with_fmt delete drop drop_key
  drop_origin_data duration_precision exit format_int geoip get_key gjson grok group_between group_in hash http_request json json_all
  kv_split len load_json lowercase match mquery_refer_table nullif parse_date parse_duration parse_int point_window
  pt_kvs_del pt_kvs_get pt_kvs_keys pt_kvs_set pt_name query_refer_table rename replace sample set_measurement set_tag
  setopt slice_string sql_cover strfmt strlen timestamp trim uppercase url_decode url_parse use user_agent vaild_json json_all
  valid_json value_type window_hit xml`.split(/\s+/),
);

/** Why a name that is not in the table of functions cannot be called. */
export function unknownFunction(name: string): string {
  return languageFunctions.has(name) ? `function \`${name}\` is not built yet` : `unsupported func: \`${name}\``;
}
