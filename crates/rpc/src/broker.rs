//! Brokers: their names in the tables and for people.

use crate::trades::v1 as wire;

macro_rules! brokers {
    ($($(#[$doc:meta])* $broker:ident = $name:literal, $title:literal;)+) => {
        /// Broker that executes trades.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Broker { $($(#[$doc])* $broker),+ }

        impl Broker {
            /// All brokers, in the order of selections.
            pub const ALL: &[Self] = &[$(Self::$broker),+];

            /// Returns the name in the tables and in JSON. It has no hyphen, which separates the number of an account.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$broker => $name),+ }
            }

            /// Returns the name for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$broker => $title),+ }
            }

            /// Returns the broker with this name in the tables.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$broker),)+ _ => None }
            }

            /// Converts a broker from its proto value; none if unspecified.
            pub const fn from_wire(broker: wire::Broker) -> Option<Self> {
                match broker {
                    wire::Broker::Unspecified => None,
                    $(wire::Broker::$broker => Some(Self::$broker),)+
                }
            }

            /// Converts a broker to its proto value.
            pub const fn to_wire(self) -> wire::Broker {
                match self { $(Self::$broker => wire::Broker::$broker),+ }
            }
        }
    };
}

brokers! {
    /// Zerodha.
    Zerodha = "zerodha", "Zerodha";
    /// Groww.
    Groww = "groww", "Groww";
    /// Upstox.
    Upstox = "upstox", "Upstox";
    /// Angel One.
    AngelOne = "angelone", "Angel One";
    /// Dhan.
    Dhan = "dhan", "Dhan";
    /// Fyers.
    Fyers = "fyers", "Fyers";
    /// ICICI Direct.
    IciciDirect = "icicidirect", "ICICI Direct";
    /// Kotak Securities.
    Kotak = "kotak", "Kotak Securities";
    /// Paytm Money.
    PaytmMoney = "paytmmoney", "Paytm Money";
    /// 5paisa.
    FivePaisa = "5paisa", "5paisa";
    /// HDFC Securities.
    HdfcSecurities = "hdfcsecurities", "HDFC Securities";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker_account::{broker_account_key, parse_broker_account_key};
    use crate::json::JsonName as _;

    #[test]
    fn every_broker_of_the_proto_has_a_name_that_is_also_its_json_name() {
        let values = (1..).map_while(|number| wire::Broker::try_from(number).ok());
        assert_eq!(values.clone().count(), Broker::ALL.len());
        for value in values {
            let broker = Broker::from_wire(value).unwrap();
            assert_eq!(broker.to_wire(), value);
            assert_eq!(value.json_name(), Some(broker.name()));
            assert_eq!(Broker::from_name(broker.name()), Some(broker));
            let key = broker_account_key(broker.name(), 2);
            assert_eq!(parse_broker_account_key(&key), Some((broker.name(), 2)));
        }
        assert_eq!(Broker::from_name("other"), None);
        assert_eq!(Broker::from_wire(wire::Broker::Unspecified), None);
    }
}
